#!/usr/bin/env ruby
# A throwaway Rails application with Doorkeeper, the OAuth 2 provider that GitLab is built on.
#
# usage: serve.rb FOLDER
#
# FOLDER takes the database. Prints {"origin": "http://127.0.0.1:PORT"} when it serves, and ends with its standard
# input; then it removes FOLDER. There is no discovery: what a client needs is below /oauth, as Doorkeeper has it.
#
#   user     alice, password alicepassword
#   clients  `app` with the secret `made-up-secret`, and `public` without one; both may come back to any port of
#            http://127.0.0.1/callback
#   tokens   last 2 hours; a refresh token is used once
#
#   GET /api/v4/user   the token's owner, or the application if it has none
#   GET /tokens        how many access tokens were issued so far
#   POST /end          ends every session: its tokens, and its refresh token

FOLDER = ARGV.fetch(0)
ENV["RAILS_ENV"] = "production"
ENV["DATABASE_URL"] = "sqlite3:#{FOLDER}/doorkeeper.db"

require "fileutils"
require "json"
require "logger"
require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require "doorkeeper"
require "webrick"
require "rack/handler/webrick"

class Server < Rails::Application
  config.root = FOLDER
  config.logger = Logger.new("#{FOLDER}/rails.log")
  config.load_defaults 6.1
  config.eager_load = false
  config.hosts.clear
  config.secret_key_base = "made up for this test"
  config.session_store :cookie_store, key: "session"
  # One request at a time, since SQLite has one writer.
  config.allow_concurrency = false
end

Doorkeeper.configure do
  orm :active_record
  base_controller "ApplicationController"
  resource_owner_authenticator { session[:user] ? User.find(session[:user]) : redirect_to("/sign-in") }
  grant_flows %w[authorization_code client_credentials]
  use_refresh_token
  force_ssl_in_redirect_uri false
  default_scopes :read_user
  optional_scopes :api
  access_token_expires_in 7200
  allow_token_introspection { |token, client, _| client && token.application_id == client.id }
end

class User < ActiveRecord::Base
end

class ApplicationController < ActionController::Base
  rescue_from(ActionController::InvalidAuthenticityToken) { head :unprocessable_entity }
end

class SessionsController < ApplicationController
  def new
    render inline: <<~PAGE
      <%= form_tag "/sign-in" do %><%= text_field_tag :name %><%= password_field_tag :password %><% end %>
    PAGE
  end

  def create
    user = User.find_by(name: params[:name], password: params[:password])
    return head(:forbidden) unless user

    session[:user] = user.id
    head :no_content
  end
end

class ApiController < ActionController::API
  before_action(only: :user) { doorkeeper_authorize!(:read_user, :api) }

  def user
    owner = doorkeeper_token.resource_owner_id
    render json: owner ? { id: owner, username: User.find(owner).name } : { application: doorkeeper_token.application.name }
  end

  def tokens
    render json: { tokens: Doorkeeper::AccessToken.count }
  end

  def end
    Doorkeeper::AccessToken.update_all(revoked_at: Time.now)
    head :no_content
  end
end

Server.initialize!
Server.routes.draw do
  use_doorkeeper { skip_controllers :applications, :authorized_applications }
  get "/sign-in", to: "sessions#new"
  post "/sign-in", to: "sessions#create"
  get "/api/v4/user", to: "api#user"
  get "/tokens", to: "api#tokens"
  post "/end", to: "api#end"
end

# Doorkeeper's own tables, as its generator makes them, but for the previous refresh token: without that column a
# used one ends at once.
ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define do
  execute "PRAGMA synchronous = OFF"
  create_table(:users) { |t| t.string :name, :password }
  create_table :oauth_applications do |t|
    t.string :name, :uid, :secret, null: false
    t.text :redirect_uri, null: false
    t.string :scopes, null: false, default: ""
    t.boolean :confidential, null: false, default: true
    t.timestamps
  end
  create_table :oauth_access_grants do |t|
    t.references :resource_owner, :application, null: false
    t.string :token, null: false
    t.integer :expires_in, null: false
    t.text :redirect_uri, null: false
    t.string :scopes, null: false, default: ""
    t.string :code_challenge, :code_challenge_method
    t.datetime :created_at, null: false
    t.datetime :revoked_at
  end
  create_table :oauth_access_tokens do |t|
    t.references :resource_owner
    t.references :application, null: false
    t.string :token, null: false, index: { unique: true }
    t.string :refresh_token, index: { unique: true }
    t.string :scopes
    t.integer :expires_in
    t.datetime :created_at, null: false
    t.datetime :revoked_at
  end
end

User.create!(name: "alice", password: "alicepassword")
client = { redirect_uri: "http://127.0.0.1/callback", scopes: "read_user api" }
Doorkeeper::Application.create!(name: "app", uid: "app", secret: "made-up-secret", **client)
Doorkeeper::Application.create!(name: "public", uid: "public", secret: "unused", confidential: false, **client)

$stdout.sync = true
log = WEBrick::Log.new("#{FOLDER}/webrick.log")
web = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: 0, Logger: log, AccessLog: [])
web.mount("/", Rack::Handler::WEBrick, Server)
# The socket takes connections from here on.
puts JSON.generate(origin: "http://127.0.0.1:#{web.listeners.first.addr[1]}")
Thread.new do
  $stdin.read
  FileUtils.rm_rf(FOLDER)
  exit!(0)
end
web.start
